"""The part of a Spark session a job needs, in this process; everything is pickled."""

import pickle


class InProcessSpark:
    defaultParallelism = 2  # noqa: N815 - Spark's name

    def __init__(self):
        self.counts = []
        self.is_cancelled = False

    @property
    def task_count(self):
        return sum(self.counts)

    @property
    def sparkContext(self):  # noqa: N802 - Spark's name
        return self

    def parallelize(self, things, count):
        assert count == len(things)
        self.counts.append(count)
        return _Tasks(list(things))

    def addJobTag(self, tag):  # noqa: N802 - Spark's name
        assert "," not in tag

    def cancelJobsWithTag(self, tag):  # noqa: N802, ARG002 - Spark's name
        self.is_cancelled = True


class _Tasks:
    def __init__(self, things, functions=()):
        self._things = things
        self._functions = functions

    def map(self, function):
        return _Tasks(self._things, (*self._functions, pickle.loads(pickle.dumps(function))))

    def collect(self):
        results = pickle.loads(pickle.dumps(self._things))
        for function in self._functions:
            results = [function(each) for each in results]
        return pickle.loads(pickle.dumps(results))
