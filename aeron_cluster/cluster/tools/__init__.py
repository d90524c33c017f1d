"""What operators do with a member from outside: inspect, query, and repair its files.

Upstream: ClusterTool and ClusterToolOperator. Everything works from the directory of a member,
ours or Java's, running or not; what it finds it returns, and the commands print it.
"""
