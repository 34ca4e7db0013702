/** A URL as errors and logs may name it. */

/** Without user, password, query and fragment, which may be secret; `undefined` for what is no whole URL. @internal */
export const placeOf = (text: string | URL): string | undefined => {
  if (!URL.canParse(text)) return undefined
  const { host, pathname, protocol } = new URL(text)
  return `${protocol}//${host}${pathname}`
}
