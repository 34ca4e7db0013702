/** The conditions under which packages may be published for everybody. */
import { execFileSync, spawnSync } from "node:child_process"
import { globSync } from "node:fs"
import type { Published } from "../pack/Published.ts"

export interface Situation {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** What `git status --porcelain` prints. */
  readonly uncommitted: string
  /** The version that all packages share. */
  readonly version: string
  /** Changesets that no version has taken up. */
  readonly changesets: ReadonlyArray<string>
  /** `name@version` of what the registry has already. It is asked last. */
  readonly taken: () => ReadonlyArray<string>
}

/** Why nothing may be published: no sentence, when it may. */
export const refusals = (
  { changesets, environment, taken, uncommitted, version }: Situation
): ReadonlyArray<string> => {
  const all: Array<string> = []
  if (environment["CI"] === undefined || environment["ACTIONS_ID_TOKEN_REQUEST_URL"] === undefined) {
    all.push("provenance needs an OIDC token: publish from a workflow of GitHub with the permission `id-token: write`")
  }
  const tag = environment["GITHUB_REF_NAME"]
  if (tag !== undefined && tag !== `v${version}`) all.push(`the tag is ${tag}, and the packages have ${version}`)
  if (uncommitted !== "") all.push(`there are uncommitted changes:\n${uncommitted.trimEnd()}`)
  if (changesets.length > 0) {
    all.push(`there are changesets without a version, run \`pnpm changeset version\` first: ${changesets.join(", ")}`)
  }
  return all.length > 0 ? all : taken().map((version) => `${version} is published already, and a version cannot change`)
}

/** The situation of this checkout and of the registry. */
export const situation = (root: string, packages: ReadonlyArray<Published>): Situation => ({
  environment: process.env,
  uncommitted: execFileSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" }),
  version: packages[0]?.version ?? "",
  changesets: globSync("*.md", { cwd: `${root}/.changeset`, exclude: ["README.md"] }),
  taken: () => packages.map(({ name, version }) => `${name}@${version}`).filter(isTaken)
})

const isTaken = (version: string): boolean => {
  const { status, stderr, stdout } = spawnSync("npm", ["view", version, "version"], { encoding: "utf8" })
  if (status === 0) return stdout.trim() !== ""
  if (stderr.includes("E404")) return false
  throw new Error(`npm cannot tell whether ${version} is published: ${stderr}`)
}
