"""All that people read in the demo, in English and in Korean: task, plans, questions, reasons, narration.

The agents' words are the same in both; only the language differs. The shop of the demo greets its users in
Korean in both: a program's own texts are content, and nothing has to be read there to decide.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

LANGUAGES = ("en", "ko")
"""Languages of the demo; the first where nothing else is wanted."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The words of one language."""

    title: str
    """Title of the task."""
    description: str
    """What the task wants."""
    behavior: tuple[str, str]
    """``expectedBehavior``."""
    forbidden: tuple[str, str]
    """``forbiddenChanges``."""
    evidence: tuple[str, str, str]
    """``requiredEvidence``: computed by the program, for they name files, commands and exit codes."""
    plan: str
    """Summary of the plan."""
    widened: str
    """Summary of the plan with one file more: why it is needed."""
    steps: tuple[tuple[str, str], tuple[str, str], tuple[str, str]]
    """Action and expected output of each step."""
    validation: str
    """How each step is validated."""
    stop: str
    """``stopConditions``."""
    stray: str
    """Why the implementer wants the file outside the plan."""
    question: str
    """What the task leaves open."""
    options: Mapping[str, tuple[str, str]]
    """Label and consequence of each answer."""
    changed: tuple[str, str]
    """Why the implementer changed the program, and the tests."""
    risk: str
    """What the implementer warns of."""
    missing: tuple[str, str, str]
    """The missing test: description, evidence, name of the case."""
    fix: str
    """What the fix is to do."""
    fixed: str
    """What the fixer says."""
    run_tests: str
    """Why the tester wants to run the tests."""
    not_run: str
    """What the tester says when it may not."""
    deny: str
    """Why the scripted human denies the edit outside the plan."""
    auth: str
    """What the program says to a wrong password."""
    retry: str
    """What the program says to anything else."""
    again: str
    """A part of ``retry`` that the tests look for."""
    timeout: str
    """What the program says to a timeout, where that is told apart."""
    says: Mapping[str, str]
    """What the agents say, by occasion; ``{}`` is a path or a number."""


ENGLISH = Texts(
    title="Make sign-in errors safe",
    description="Show a message for users in place of what the server said, and add tests.",
    behavior=(
        "What the server said is never shown on the screen.",
        "A wrong password and a timeout can be told apart.",
    ),
    forbidden=("Changing NetworkClient", "Adding a library"),
    evidence=("list of changed files", "test command that was run", "exit code of the tests"),
    plan="Return a message for users in place of what the server said.",
    widened="The messages outgrow login/errors.py and move to login/messages.py, all else as before.",
    steps=(
        ("Look how errors are mapped now.", "the way of the server's words to the screen"),
        ("Return a harmless message.", "a message without the server's words"),
        ("Add a test for each sort of failure.", "one test a sort"),
    ),
    validation="Held against the changed files and the tests.",
    stop="Stop where NetworkClient would have to change.",
    stray="The server's error should be shorter before it is sent.",
    question="Should a timeout read differently from a wrong password?",
    options=MappingProxyType({
        "separate": ("a text of its own", "Users can tell the cause."),
        "same": ("the general text", "Every failure reads the same."),
    }),
    changed=(
        "Returns a message for users in place of what the server said.",
        "Added a test for each sort of failure.",
    ),
    risk="A new error code of the server needs a new line in the mapping.",
    missing=(
        "No test looks at the message of an unknown error.",
        "No test passes the default branch of message_for.",
        "unknown error",
    ),
    fix="Add a test that passes the default branch.",
    fixed="review-001: added a test of the default branch.",
    run_tests="To see whether anything broke.",
    not_run="The human denied running the tests.",
    deny="Not in the plan. Solve it inside the plan.",
    auth="Please check your name and password.",
    retry="Please try again in a moment.",
    again="try again",
    timeout="The connection timed out. Please check your network.",
    says=MappingProxyType({
        "plan": "reads the task and writes plan.json",
        "plan-waits": "waits until a human has approved the plan",
        "edits": "changes login/errors.py and adds tests, both in the plan",
        "strays": "strays: {} is not in the plan",
        "restored": "finds {} restored and leaves it so",
        "kept": "was allowed {} after the fact and keeps it",
        "takes-back": "was told no and takes {} back",
        "asks-first": "takes {} back and asks first",
        "allowed": "was allowed to edit {}",
        "denied": "was denied and leaves {} alone",
        "escalates": "does not know whether a timeout reads like a wrong password: asks you",
        "widens": "needs login/messages.py: the planner widens the plan, and you must agree",
        "moves": "moves the texts to login/messages.py, now in the plan",
        "reviews": "reviews, and wants one more test",
        "fixes": "adds the test that the review asked for",
        "reviews-again": "reviews again and passes",
        "claims": "claims “passed” without having run anything",
        "may-not-run": "may not run the tests and says so",
        "ran": "ran the tests: exit code {}",
        "side-plan": "begins another task, usage-doc: plans to correct one word of docs/usage.md",
        "side": "corrected docs/usage.md, for the task usage-doc",
        "ended": (
            "The agents have ended. F finalizes login-error-message once nothing holds it; usage-doc "
            "stays open: nobody reviews it. q leaves."
        ),
        "stopped": "An agent has stopped early: see {}. q leaves.",
    }),
)  # fmt: skip
"""The demo in English."""

KOREAN = Texts(
    title="로그인 실패 메시지 안전하게 변경",
    description="서버 에러 원문 대신 사용자 친화적 메시지를 표시하고 테스트를 추가한다.",
    behavior=("서버 원문은 화면에 노출되지 않는다.", "인증 실패와 타임아웃이 구분된다."),
    forbidden=("NetworkClient 수정", "신규 라이브러리 추가"),
    evidence=("수정된 파일 목록", "실행한 테스트 명령", "테스트 종료 코드"),
    plan="로그인 실패 시 서버 원문 대신 사용자용 메시지를 표시한다.",
    widened="문구가 늘어 login/messages.py로 옮겨야 한다. 나머지 계획은 그대로다.",
    steps=(
        ("현재 오류 매핑을 확인한다.", "원문이 화면까지 가는 경로"),
        ("안전한 메시지를 반환한다.", "원문이 없는 메시지"),
        ("실패 유형별 테스트를 추가한다.", "실패 유형마다 테스트 하나"),
    ),
    validation="변경 파일과 테스트로 확인한다.",
    stop="NetworkClient 수정이 필요할 경우 중단한다.",
    stray="서버 오류를 더 짧게 보내기 위해 수정한다.",
    question="타임아웃을 인증 실패와 다른 문구로 보여 줄까요?",
    options=MappingProxyType({
        "separate": ("다른 문구", "사용자가 원인을 구분할 수 있다."),
        "same": ("일반 문구", "모든 실패가 같은 안내로 보인다."),
    }),
    changed=("서버 원문 대신 사용자용 메시지를 반환한다.", "실패 유형별 테스트를 추가했다."),
    risk="새 서버 오류 코드가 생기면 매핑을 갱신해야 한다.",
    missing=(
        "알 수 없는 오류의 메시지를 확인하는 테스트가 없다.",
        "message_for의 기본 분기를 지나는 테스트가 없다.",
        "알 수 없는 오류",
    ),
    fix="기본 분기를 확인하는 테스트를 추가한다.",
    fixed="review-001: 기본 분기 테스트를 추가했다.",
    run_tests="회귀 여부를 확인한다.",
    not_run="테스트 실행이 거부되었다.",
    deny="이 파일은 계획에 없다. 계획 안에서 해결한다.",
    auth="아이디 또는 비밀번호를 확인해 주세요.",
    retry="잠시 후 다시 시도해 주세요.",
    again="다시",
    timeout="연결 시간이 초과되었습니다. 네트워크를 확인해 주세요.",
    says=MappingProxyType({
        "plan": "작업을 읽고 plan.json을 쓴다",
        "plan-waits": "사람이 계획을 승인할 때까지 기다린다",
        "edits": "login/errors.py를 고치고 테스트를 추가한다. 둘 다 계획에 있다",
        "strays": "벗어난다: {}는 계획에 없다",
        "restored": "{}가 되돌려진 것을 보고 그대로 둔다",
        "kept": "{}를 나중에 허락받아 그대로 둔다",
        "takes-back": "거절당해 {}를 되돌린다",
        "asks-first": "{}를 되돌리고 먼저 묻는다",
        "allowed": "{} 수정을 허락받았다",
        "denied": "거절당해 {}를 건드리지 않는다",
        "escalates": "타임아웃을 틀린 비밀번호처럼 보여 줄지 몰라서 묻는다",
        "widens": "login/messages.py가 필요하다: 계획을 넓히니 동의가 필요하다",
        "moves": "이제 계획에 있는 login/messages.py로 문구를 옮긴다",
        "reviews": "검토하고 테스트 하나를 더 요구한다",
        "fixes": "검토가 요구한 테스트를 추가한다",
        "reviews-again": "다시 검토하고 통과시킨다",
        "claims": "아무것도 실행하지 않고 “passed”라고 주장한다",
        "may-not-run": "테스트를 실행할 수 없어 그렇게 적는다",
        "ran": "테스트를 실행했다: 종료 코드 {}",
        "side-plan": "다른 작업 usage-doc을 시작한다: docs/usage.md의 한 단어를 고칠 계획이다",
        "side": "작업 usage-doc을 위해 docs/usage.md를 고쳤다",
        "ended": (
            "에이전트가 모두 끝났다. 막는 것이 없으면 F로 login-error-message를 확정한다. "
            "usage-doc은 검토하는 이가 없어 열린 채로 남는다. q로 나간다."
        ),
        "stopped": "에이전트 하나가 일찍 멈췄다: {}를 보라. q로 나간다.",
    }),
)  # fmt: skip
"""The demo in Korean."""

TEXTS: Mapping[str, Texts] = MappingProxyType({"en": ENGLISH, "ko": KOREAN})
"""Texts by language."""


def language_of(environment: Mapping[str, str]) -> str:
    """Give the language of a locale: Korean where the messages are, else English.

    Args:
        environment: Environment of the process; it chooses nothing but the language.
    """
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = environment.get(name, "")
        if value:
            return "ko" if value.lower().startswith("ko") else LANGUAGES[0]
    return LANGUAGES[0]
