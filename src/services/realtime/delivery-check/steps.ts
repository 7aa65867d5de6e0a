/** Helpers that are shared by the delivery checks for changes and for broadcasts. */
import type { Claims } from '../../../platform/keys/types.ts';
import { type Caller, checkClaims, systemText } from '../core/token.ts';
import type { CheckStep, CheckStepName, Persona, StepOutcome } from '../types.ts';

/** Returns the function that creates the results of one step. */
export const stepOf =
  (name: CheckStepName) =>
  (
    outcome: StepOutcome,
    code: string,
    says: string,
    facts: Readonly<Record<string, unknown>> = {},
  ): CheckStep => ({ step: name, outcome, code, says, facts });

export const isStopped = (steps: readonly CheckStep[]): boolean =>
  steps.some(({ outcome }) => outcome === 'stops');

/**
 * Checks a persona's token as the service would check it for a join. If the claims don't include `exp`, the token is
 * treated as newly issued.
 */
export function tokenStep({ role, claims }: Persona, nowMs: number): { caller: Caller; step: CheckStep } {
  const step = stepOf('token');
  const whole: Claims & { exp: number } = { ...claims, role, exp: expiryOf(claims, nowMs) };
  const claimsJson = JSON.stringify(whole);
  const result = checkClaims(whole, claimsJson, nowMs);
  const sub = typeof whole.sub === 'string' ? whole.sub : undefined;
  const caller = result.ok ? result.caller : { role, sub, expiresAt: whole.exp, claims: whole, claimsJson };
  const facts = { role, sub: sub ?? null };
  return {
    caller,
    step: result.ok
      ? step('passes', 'token-good', 'The token would be accepted.', facts)
      : step('stops', 'token-refused', `The token is rejected: ${systemText(result.fault)}.`, facts),
  };
}

function expiryOf({ exp }: Persona['claims'], nowMs: number): number {
  return typeof exp === 'number' ? exp : Math.floor(nowMs / 1000) + 3600;
}
