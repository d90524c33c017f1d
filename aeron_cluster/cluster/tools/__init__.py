"""Tools for operators: inspect, query and repair a member from outside.

Upstream: ClusterTool and ClusterToolOperator. All tools use the directory of a member, ours or
Java's, running or not; they return their results, and the commands print them.
"""
