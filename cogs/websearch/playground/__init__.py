"""Hold what stands in for Discord, for tests and for trying the cog; the cog never imports it."""
