"""What the tools of the office do: mail, a calendar and tickets."""

from __future__ import annotations

from misstep.suites.sabench import calendar, calendar_reads, mail, mail_reads, ticket_reads, tickets
from misstep.suites.sabench.api import Api

#: Every tool of the office.
API = Api([*mail_reads.TOOLS, *mail.TOOLS, *calendar_reads.TOOLS, *calendar.TOOLS, *ticket_reads.TOOLS, *tickets.TOOLS])
