def files(*a): return {}
