/**
 * A time as a version writes it: the way GitHub writes `updated_at`, RFC 3339 UTC to the second, with milliseconds only
 * where there are any. So an export, the API and git give one artefact one version.
 */
export function versionTime(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}
