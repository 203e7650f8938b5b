/**
 * Returns the address without user, password and options, which is safe to print; `null` if it is not a PostgreSQL
 * address.
 */
export function shownStore(address: string): string | null {
  if (!/^postgres(?:ql)?:\/\//.test(address) || !URL.canParse(address)) return null;
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}
