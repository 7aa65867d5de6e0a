/** Host of an address for people; undefined when it has none (`web/account/flow.ts` says the same). */
export function hostOf(address: string | null): string | undefined {
  return address !== null && URL.canParse(address) ? new URL(address).host || undefined : undefined;
}
