"""Errors as an office's interface gives them: a code, a status, a message, and which argument was wrong."""

from __future__ import annotations

from misstep.suites.world import Record, Refused


class ApiError(Refused):
    """A call that did nothing, as its caller is told; codes are those of HTTP."""

    def __init__(self, code: int, status: str, message: str, details: list[tuple[str, str]] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.message = message
        self.details = details or []

    def shown(self) -> Record:
        """Return the error as a result of the call."""
        error: Record = {"code": self.code, "status": self.status, "message": self.message}
        if self.details:
            error["details"] = [{"field": field, "reason": reason} for field, reason in self.details]
        return {"error": error}


def invalid(message: str, *details: tuple[str, str]) -> ApiError:
    """Return the error of a call that is wrong in itself; details are pairs of argument and reason."""
    return ApiError(400, "INVALID_ARGUMENT", message, list(details))


def denied(message: str) -> ApiError:
    """Return the error of a call that its caller may not make."""
    return ApiError(403, "PERMISSION_DENIED", message)


def not_found(kind: str, name: str) -> ApiError:
    """Return the error of a call on something that is not there."""
    return ApiError(404, "NOT_FOUND", f"Requested {kind} {name!r} was not found.")


def conflict(message: str) -> ApiError:
    """Return the error of a call that the present state of things does not allow."""
    return ApiError(409, "CONFLICT", message)


def unknown_tool(name: str) -> ApiError:
    """Return the error of a call of a tool that there is not."""
    return ApiError(404, "UNKNOWN_TOOL", f"There is no tool {name!r}.")
