import pytest

from tests.scenarios.transcript import run

TEXT = """\
# A repeated word.
echo word=hello times=2
----
hello
hello

echo word=bye times=0
----
"""


def emit(name, arguments):
    assert name == "echo"
    return [arguments["word"]] * int(arguments["times"])


@pytest.fixture
def transcript(tmp_path):
    path = tmp_path / "echo.txt"
    path.write_text(TEXT)
    return path


def test_an_expected_line_passes(transcript):
    run(transcript, emit, rewrite=False)
    assert transcript.read_text() == TEXT


def test_an_unexpected_line_fails_and_names_the_command(transcript):
    with pytest.raises(AssertionError, match="echo word=hello times=2"):
        run(transcript, lambda *_: ["hallo"], rewrite=False)


def test_rewriting_retains_comments_and_commands(transcript):
    run(transcript, lambda *_: ["hallo"], rewrite=True)
    assert transcript.read_text() == TEXT.replace("hello\nhello", "hallo").replace(
        "times=0\n----", "times=0\n----\nhallo"
    )


def test_rejects_a_command_without_an_answer(transcript):
    transcript.write_text("echo word=hello times=1\n")
    with pytest.raises(ValueError, match="expected a line of dashes"):
        run(transcript, emit, rewrite=False)


def test_commands_of_a_block_are_sent_together(transcript):
    text = "echo word=a times=1\necho word=b times=2\n----\na\nb\nb\n"
    transcript.write_text(text)
    run(transcript, emit, rewrite=False)
    run(transcript, emit, rewrite=True)
    assert transcript.read_text() == text
