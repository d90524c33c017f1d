import pytest

from tests.scenarios.transcript import run

TEXT = """\
# What is said twice.
say word=hello times=2
----
hello
hello

say word=bye times=0
----
"""


def say(name, arguments):
    assert name == "say"
    return [arguments["word"]] * int(arguments["times"])


@pytest.fixture
def transcript(tmp_path):
    path = tmp_path / "say.txt"
    path.write_text(TEXT)
    return path


def test_what_is_said_as_expected_passes(transcript):
    run(transcript, say, rewrite=False)
    assert transcript.read_text() == TEXT


def test_what_is_said_otherwise_fails_and_names_the_command(transcript):
    with pytest.raises(AssertionError, match="say word=hello times=2"):
        run(transcript, lambda *_: ["hallo"], rewrite=False)


def test_rewriting_keeps_comments_and_commands(transcript):
    run(transcript, lambda *_: ["hallo"], rewrite=True)
    assert transcript.read_text() == TEXT.replace("hello\nhello", "hallo").replace(
        "times=0\n----", "times=0\n----\nhallo"
    )


def test_refuses_a_command_without_an_answer(transcript):
    transcript.write_text("say word=hello times=1\n")
    with pytest.raises(ValueError, match="expected a line of dashes"):
        run(transcript, say, rewrite=False)


def test_commands_of_a_block_speak_together(transcript):
    text = "say word=a times=1\nsay word=b times=2\n----\na\nb\nb\n"
    transcript.write_text(text)
    run(transcript, say, rewrite=False)
    run(transcript, say, rewrite=True)
    assert transcript.read_text() == text
