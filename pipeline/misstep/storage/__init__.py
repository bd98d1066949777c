"""Tables on disk: Parquet parts (`parquet`), the manifest that names them, and stamps of what they were made from."""
