"""The agents of a consensus module, their adapters, and the state that Python sets for them."""
