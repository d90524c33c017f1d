"""The members of a cluster: their list, addresses and ids, quorums, and messages between them."""
