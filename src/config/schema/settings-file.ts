/** The settings files. `config.toml` contains upstream's keys, and `plinth.toml` contains Plinth's own. */
export type SettingsFile = 'config.toml' | 'plinth.toml';
