"""Tools for operators: inspect, query and repair a member from outside.

Upstream: ClusterTool and ClusterToolOperator. Everything works from the directory of a member,
ours or Java's, running or not; what it finds it returns, and the commands print it.
"""
