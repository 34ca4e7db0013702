/** Leaves members out, and copies nothing where there is nothing to leave out. */
export const omit = <A extends object>(record: A, ...keys: ReadonlyArray<string>): A => {
  if (!keys.some((key) => Object.hasOwn(record, key))) return record
  // Callers name optional members only, so the record keeps its type.
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key))) as A
}

/** Replaces a member where it is present and its replacement is another value. */
export const change = <A extends object, K extends keyof A>(
  record: A,
  key: K,
  f: (value: NonNullable<A[K]>) => A[K]
): A => {
  const value = record[key]
  if (value === undefined || value === null) return record
  const replaced = f(value)
  return replaced === value ? record : { ...record, [key]: replaced }
}

/** Maps a list, and copies nothing where every element stays. */
export const mapSame = <A>(list: ReadonlyArray<A>, f: (value: A) => A): ReadonlyArray<A> => {
  const mapped = list.map(f)
  return mapped.some((value, index) => value !== list[index]) ? mapped : list
}
