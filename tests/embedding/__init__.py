"""Extensions compiled against the installed package, as users do, and programs that run them."""
