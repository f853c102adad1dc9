/** Whether a command line has a switch such as `--json`, read without parsing it: what does not parse has one too. */
export function hasSwitch(argv: readonly string[], name: string): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes(name);
}
