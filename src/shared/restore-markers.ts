/** The names of files that mark a data folder. */

/** A restore is in progress. A server must not start with incomplete data. Contains the process that restores. */
export const restoreMarker = 'restore-unfinished';

/**
 * The data folder is a restored copy. Until it is promoted, its server sends nothing and writes only to its own folder,
 * because the original may still be running.
 */
export const copyMarker = 'restored-copy';

/** In the data folder. `promote` requests that the next start takes over the backup target. */
export const takeOverRequest = 'take-over-backups';
