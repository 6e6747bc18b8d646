# ---- filters

# ---- frontier

# ---- run
