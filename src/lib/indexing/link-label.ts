/** Key under which labels of links are the same: case and runs of white space do not matter. */
export function labelKey(label: string): string {
  return label.replace(/\s+/g, ' ').trim().toLowerCase();
}
