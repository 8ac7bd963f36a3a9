// What a check found, in words that people read.
export interface Check {
  name: string;
  passed: boolean;
  detail: string;
}

export function check(name: string, passed: boolean, good: string, bad: string): Check {
  return { name, passed, detail: passed ? good : bad };
}

export function allPassed(checks: Check[]): boolean {
  return checks.length > 0 && checks.every((one) => one.passed);
}
