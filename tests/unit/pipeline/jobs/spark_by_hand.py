"""What a job needs of a Spark session, in this process: all is pickled, as it would be."""

import pickle


class SparkByHand:
    def __init__(self):
        self.task_count = 0

    @property
    def sparkContext(self):  # noqa: N802 - Spark's name
        return self

    def parallelize(self, things, count):
        assert count == len(things)
        self.task_count += count
        return _Tasks(list(things))


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
