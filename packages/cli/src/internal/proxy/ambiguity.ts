/**
 * Messages whose envelope two readers of JSON may see differently.
 *
 * Clients that share one line are told apart by the ids that the proxy gives them. A message that it reads in one way
 * and the endpoint in another could take the answer of another client: Go takes `ID` for `id`, and of names that stand
 * twice some readers take the first. So each name of the envelope must stand once and be written plainly, and no other
 * name may look like one. The method must be the same to readers that cut a string at a NUL or replace a surrogate.
 */
import * as Dialect from "@parley/protocol/Dialect"

/**
 * Why a message is ambiguous, or `undefined`. `names` are those of its members, as `Splice.names` gives them; `method` is
 * that of a call.
 */
export const of = (names: ReadonlyArray<string>, method = ""): string | undefined =>
  nameOf(names) ?? (method.isWellFormed() && !method.includes("\0")
    ? undefined
    : "`method` has a NUL or half of a surrogate pair")

const nameOf = (names: ReadonlyArray<string>): string | undefined => {
  const seen = new Set<string>()
  for (const name of names) {
    const plain = envelope.get(name)
    if (plain === undefined) {
      const alike = byFold.get(fold(JSON.parse(name)))
      if (alike !== undefined) return `the name ${name} may be taken for \`${alike}\``
    } else if (seen.has(plain)) return `\`${plain}\` stands twice`
    else seen.add(plain)
  }
  return seen.has("method") && (seen.has("result") || seen.has("error"))
    ? "a message has both a `method` and a `result` or an `error`"
    : undefined
}

const names = ["jsonrpc", "id", "method", "params", "result", "error"]

const envelope: ReadonlyMap<string, string> = new Map(names.map((name) => [`"${name}"`, name]))

/**
 * The common form of all names that some reader treats as equal: readers in Go fold `ſ` to `s`, those in Java `ı` and
 * `İ` to `i`, those in C end at a NUL, and some drop invalid characters.
 */
const fold = (name: string): string =>
  name.replace(/\0[^]*/, "").toUpperCase().toLowerCase().replace(/[\u0307\p{Surrogate}]/gu, "")

const byFold: ReadonlyMap<string, string> = new Map(names.map((name) => [fold(name), name]))

/**
 * Whether a call names a request by the id that a client gave it. On a shared line that is the number of any other's,
 * so none is passed on, however it is written.
 */
export const isCancellation = (method: string): boolean => cancellations.has(fold(method))

const cancellations: ReadonlySet<string> = new Set(
  [Dialect.cancelRequest, Dialect.cancelledNotification([])].map(({ method }) => fold(method))
)
