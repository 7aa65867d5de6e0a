/** All rules, most severe first. */
import type { Rule } from './rule.ts';
import {
  anonSecurityDefinerFunction,
  authenticatedSecurityDefinerFunction,
  extensionFunctionExecutable,
  functionSearchPathMutable,
} from './rules/functions.ts';
import {
  duplicateIndex,
  frequentFullScans,
  noPrimaryKey,
  tableBloat,
  unindexedForeignKeys,
  unusedIndex,
} from './rules/performance.ts';
import {
  extensionInPublic,
  extensionVersionsOutdated,
  fkeyToAuthUnique,
  publicBucketAllowsListing,
  unsupportedRegTypes,
} from './rules/platform.ts';
import {
  authRlsInitPlan,
  multiplePermissivePolicies,
  policyNeverMatches,
  rlsPolicyAlwaysTrue,
  rlsReferencesUserMetadata,
} from './rules/policies.ts';
import {
  authUsersExposed,
  foreignTableInApi,
  graphqlAnonTableExposed,
  graphqlAuthenticatedTableExposed,
  materializedViewInApi,
  securityDefinerView,
} from './rules/relations.ts';
import {
  insecureQueueExposed,
  policyExistsRlsDisabled,
  rlsDisabledInPublic,
  rlsEnabledNoPolicy,
  sensitiveColumnsExposed,
} from './rules/row-security.ts';

export const rules: readonly Rule[] = [
  sensitiveColumnsExposed,
  authUsersExposed,
  rlsDisabledInPublic,
  policyExistsRlsDisabled,
  insecureQueueExposed,
  rlsReferencesUserMetadata,
  securityDefinerView,
  fkeyToAuthUnique,
  rlsPolicyAlwaysTrue,
  policyNeverMatches,
  anonSecurityDefinerFunction,
  authenticatedSecurityDefinerFunction,
  extensionFunctionExecutable,
  functionSearchPathMutable,
  materializedViewInApi,
  foreignTableInApi,
  publicBucketAllowsListing,
  extensionInPublic,
  extensionVersionsOutdated,
  graphqlAnonTableExposed,
  graphqlAuthenticatedTableExposed,
  unsupportedRegTypes,
  authRlsInitPlan,
  multiplePermissivePolicies,
  duplicateIndex,
  rlsEnabledNoPolicy,
  unindexedForeignKeys,
  frequentFullScans,
  noPrimaryKey,
  unusedIndex,
  tableBloat,
];
