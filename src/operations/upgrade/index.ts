/** Upgrades the embedded PostgreSQL to a different major version. */
export { UpgradeError, type UpgradeErrorCode, upgradeErrors } from './errors.ts';
export { type UpgradeOptions, type UpgradeReport, upgradeCluster } from './upgrade.ts';
