/** Defines the names of files that mark a data folder. */

/**
 * Marks a data folder while a restore is in progress, because a server must not start with incomplete data. The file
 * identifies the process that restores the data.
 */
export const restoreMarker = 'restore-unfinished';

/**
 * Marks a data folder that is a restored copy. Until the copy is promoted, its server sends nothing and writes only to
 * its own folder, because the original may still be running.
 */
export const copyMarker = 'restored-copy';

/**
 * The file that `promote` creates in the data folder. At its next start, the server then takes over the backup target.
 */
export const takeOverRequest = 'take-over-backups';
