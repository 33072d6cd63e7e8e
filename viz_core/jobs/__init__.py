"""Jobs in processes of their own: run folders, the queue, the worker. Knows no task and no torch."""
