/** The errors of backups and restores that an operator can resolve. */

const table = {
  key_missing: 'Backups need an encryption key: set [backup] encryption_key = "env(NAME)" in plinth.toml.',
  key_invalid:
    'The backup encryption key must be 32 bytes in hexadecimal or base64, for example from "openssl rand -hex 32".',
  target_unset: 'No backup target is configured. Set "to" in the section [backup] of plinth.toml.',
  target_invalid: 'The backup target must be a folder or a URL such as s3://bucket/prefix.',
  target_foreign: 'The backup target contains the backups of another database. Use another folder or prefix.',
  target_in_use: 'Another server uses the backup target.',
  timeline_taken:
    'Another copy that was restored at the same point already continues these backups. Restore again to get a copy with its own history.',
  s3_failed: 'The backup target rejected a request.',
  target_lost:
    'The backup target no longer contains its backups. Check that the folder is mounted or that the bucket is correct.',
  target_empty: "The backup target doesn't contain backups.",
  target_newer: 'A newer version of Plinth wrote to the backup target. Use that version.',
  target_in_project:
    'The backup target is inside the project folder that it backs up. Use a folder outside of supabase/.',
  clock_implausible:
    'The times of the backups suggest that the system clock is wrong, so nothing was removed. Check the clock, then create a base backup.',
  damaged: 'A file of the backup is damaged, or the encryption key is wrong.',
  not_embedded: "Plinth backs up only the embedded PostgreSQL. Use your server's own tools to back it up.",
  tablespaces: "Backups don't support tablespaces.",
  slot_lost: "PostgreSQL dropped WAL that hadn't been archived, so a new base backup is required.",
  interrupted: 'The backup target is not available.',
  folder_not_empty: "The data folder isn't empty. Restore into a new or empty folder.",
  restore_running:
    'Another process is restoring into this folder. If no such process is running, remove the folder.',
  no_space: 'The restored copy needs',
  no_backup: 'No completed base backup is available for this time.',
  unknown_backup: 'No complete base backup with this ID exists.',
  time_invalid: 'The time must be in ISO 8601 format, such as 2026-05-01T12:00:00Z.',
  time_too_late: 'This time is later than the newest recoverable time.',
  wal_gap: "Some WAL is missing from the backup, so changes after this gap can't be restored.",
  recovery_failed: "PostgreSQL couldn't recover the backup.",
} as const;

export type BackupErrorCode = keyof typeof table;

/**
 * An error from the table of backup errors. `detail` is appended to the error message. Commands also print `advice`.
 */
export class BackupError extends Error {
  override name = 'BackupError';
  readonly code: BackupErrorCode;
  readonly advice: readonly string[];
  constructor(code: BackupErrorCode, detail?: string, cause?: unknown) {
    super(detail === undefined ? table[code] : `${table[code]} ${detail}`, { cause });
    this.code = code;
    this.advice = [];
  }
}
