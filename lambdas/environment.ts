/**
 * Reads what the template gives a function; one that is missing is a defect of the template and
 * stops the start.
 */
export function requiredEnv(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`the variable ${name} is not set`);
  return value;
}
