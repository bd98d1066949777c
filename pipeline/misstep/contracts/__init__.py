"""What every table, file and value of misstep means; nothing here reads or writes."""
