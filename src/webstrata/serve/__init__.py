"""What people look at: pictures, tables, reports."""
