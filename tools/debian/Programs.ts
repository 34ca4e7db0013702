/** Programs of Debian that tests run. Where one is missing, a test says so and passes; with `CI` set it fails. */
import { assert, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { delimiter } from "node:path"

export interface Needed {
  readonly program: string
  readonly package: string
  /** The argument with which it says who it is: `--version` by default. */
  readonly asked?: string
  /** A part of its answer, where there are other programs of the name. */
  readonly says?: string
}

/** The environment in which programs are found: Debian keeps servers where only root looks. */
export const env = { ...process.env, PATH: `${process.env["PATH"]}${delimiter}/usr/sbin` }

const isMissing = ({ asked = "--version", program, says = "" }: Needed): boolean => {
  const { status, stderr, stdout } = spawnSync(program, [asked], { encoding: "utf8", env })
  return says === "" ? status !== 0 : !`${stdout}${stderr}`.includes(says)
}

/** Describes tests where the programs are there that they need. */
export const suites = (needed: ReadonlyArray<Needed>, tests: () => void): void => {
  const missing = needed.filter(isMissing)
  if (missing.length === 0) return tests()
  const packages = new Set(missing.map((each) => each.package))
  it(`needs programs of Debian: apt-get install ${[...packages].join(" ")}`, () => {
    if (process.env["CI"]) assert.fail(`missing: ${missing.map(({ program }) => program).join(", ")}`)
  })
}
