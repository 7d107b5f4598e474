"""The exporter by its first name, for scripts that put this folder on the PYTHONPATH: see elsewise/exporter.py."""

from elsewise import ProbeMismatch, UnsupportedEstimator, check_document, evaluate, export_model, save

__all__ = ["ProbeMismatch", "UnsupportedEstimator", "check_document", "evaluate", "export_model", "save"]
