/** The first of many names, and how many there are besides. */
export function listed(names: readonly string[], most = 12): string {
  const rest = names.length - most;
  return rest > 1 ? `${names.slice(0, most).join(', ')} and ${rest} more` : names.join(', ');
}
