#!/bin/sh
# cd REPO
mkdir -p node_modules/x; i=0; while [ $i -lt "${FILES:-20000}" ]; do echo $i > node_modules/x/$i; i=$((i+1)); done
mkdir -p src/many; for i in $(seq 200); do echo $i > src/many/$i.py; done
