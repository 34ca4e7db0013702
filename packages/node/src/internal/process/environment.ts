/**
 * The environment of a child process: which of our variables it gets, and what is changed on top.
 *
 * Names keep the case they have. On Windows `Path` and `PATH` are the same variable, so one takes the place of the
 * other; elsewhere they are two.
 */

/** @see NodeChildProcess, which publishes it */
export type Inherit = "all" | "safe" | ReadonlyArray<string>

type Variables = Readonly<Record<string, string | undefined>>

export const make = (options: {
  readonly platform: string
  readonly ours: Variables
  readonly inherit?: Inherit | undefined
  readonly env?: Variables | undefined
}): Record<string, string> => {
  const isWindows = options.platform === "win32"
  const nameOf = (name: string) => isWindows ? name.toUpperCase() : name
  const { inherit = "safe" } = options
  const allowed = new Set(
    (inherit === "safe" ? isWindows ? safeOnWindows : safe : inherit === "all" ? [] : inherit).map(nameOf)
  )
  const mayPass = (name: string) =>
    inherit === "all" || allowed.has(nameOf(name)) || (inherit === "safe" && !isWindows && name.startsWith("LC_"))
  const variables = new Map<string, readonly [name: string, value: string]>()
  for (const [name, value] of Object.entries(options.ours)) {
    if (value === undefined || !mayPass(name)) continue
    // A shell runs a function that it finds in its environment.
    if (inherit === "safe" && value.startsWith("()")) continue
    variables.set(nameOf(name), [name, value])
  }
  for (const [name, value] of Object.entries(options.env ?? {})) {
    if (value === undefined) variables.delete(nameOf(name))
    else variables.set(nameOf(name), [name, value])
  }
  return Object.fromEntries(variables.values())
}

/** Where things are, who we are and in which language: what programs need to start, and no secrets. */
const safe = ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"]

/** The same for Windows, where programs do not start without some of them. */
const safeOnWindows = [
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE"
]
