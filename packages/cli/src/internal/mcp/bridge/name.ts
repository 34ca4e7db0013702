/**
 * The name of a server behind a bridge, as clients and models see it. Words of a command may be secrets, so it has only the
 * program and its script, or the package that a runner runs; where it is not certain which word that is, the program alone.
 */
import { basename } from "node:path"
import type * as Endpoint from "../../Endpoint.ts"
import type { Wire } from "../../wire/Wire.ts"

/** The name of the server at an endpoint. */
export const of = ({ endpoint, name }: Pick<Wire, "endpoint" | "name">): string =>
  endpoint._tag === "Command" ? ofCommand(endpoint) : name

const ofCommand = ({ args, command }: Endpoint.Command): string => {
  const program = basename(command)
  const named = runners.test(program) ? packageOf(args) : args.find(isScript)
  return named === undefined ? program : `${program} ${runners.test(program) ? named : basename(named)}`
}

/** Programs whose first word that belongs to no flag is a package. */
const runners = /^(?:npx|pnpx|bunx|uvx)(?:\.\w+)?$/

/** The package that a runner runs. Behind a flag that is not known, any word may be its value. */
const packageOf = (args: ReadonlyArray<string>): string | undefined => {
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? ""
    if (valued.has(word)) index++
    else if (!word.startsWith("-")) return packages.test(word) ? word : undefined
    else if (!alone.has(word) && !word.includes("=")) return undefined
  }
  return undefined
}

/** The name of a package, perhaps with a version. */
const packages = /^(?:@[\w.~-]+\/)?[\w.~-]+(?:\[[\w,.-]*\])?(?:@[\w.^~*-]+|==[\w.*-]+)?$/

/** Flags of runners whose next word is their value. */
const valued: ReadonlySet<string> = new Set([
  ...["-p", "-w", "--package", "--call", "--workspace", "--registry", "--loglevel", "--prefix", "--cache"],
  ...[
    "--userconfig",
    "--from",
    "--with",
    "--with-editable",
    "--with-requirements",
    "--python",
    "--index",
    "--index-url"
  ],
  ...["-i", "--extra-index-url", "--default-index", "--find-links", "--index-strategy", "--keyring-provider"],
  ...["--refresh-package", "--env-file", "--directory", "--project", "--config-file", "--cache-dir"]
])

/** Flags of runners without a value. */
const alone: ReadonlySet<string> = new Set([
  ...["-y", "-q", "-s", "-v", "-n", "--", "--yes", "--no", "--quiet", "--silent", "--verbose", "--bun", "--offline"],
  ...["--no-install", "--prefer-online", "--prefer-offline", "--isolated", "--refresh", "--no-cache", "--native-tls"],
  ...["--no-progress", "--no-config", "--no-python-downloads"]
])

/** Whether a word is the path of a script, by its ending. A command of a shell has blanks, and an assignment a sign for it. */
export const isScript = (word: string): boolean =>
  /^[^-=?\s][^=?\s]*\.(?:[cm]?[jt]s|[jt]sx|py|pyz|rb|php|pl|lua|sh|jar|dll)$/.test(word)
