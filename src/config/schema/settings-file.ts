/** The files that contain settings: upstream's keys in `config.toml`, our own in `plinth.toml`. */
export type SettingsFile = 'config.toml' | 'plinth.toml';
