/**
 * The settings files. `config.toml` contains upstream's keys, and `plinth.toml` contains the keys that only Plinth has.
 */
export type SettingsFile = 'config.toml' | 'plinth.toml';
