/** A strength or an activation with two decimals; `<0.01` for what is nearly nothing. Never negative. */
export function amount(value: number): string {
  if (value === 0) return '0';
  return value < 0.005 ? '<0.01' : value.toFixed(2);
}
