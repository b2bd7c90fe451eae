"""The reference model as a candidate: in process, calm or chaotic, with the rulebook or a faulty one."""
