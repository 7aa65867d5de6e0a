/** Defines the names of the files that mark data folders during and after a restore. */

/**
 * Marks a data folder while a restore is in progress, because a server must not start with incomplete data. The file
 * identifies the process that restores the data.
 */
export const restoreMarker = 'restore-unfinished';

/**
 * Marks a data folder that is a restored copy. Until the copy is promoted, its server sends nothing to other systems
 * and writes only to its own folder, because the original may still be running.
 */
export const copyMarker = 'restored-copy';

/**
 * Marks a data folder that belongs to a branch. Its server sends nothing to other systems. The file contains the
 * addresses at which clients reach the branch.
 */
export const branchMarker = 'branch-identity.json';

/**
 * The file that `promote` creates in the data folder. At its next start, the server then takes over the backup target
 * of the original.
 */
export const takeOverRequest = 'take-over-backups';
