/**
 * The folder of what the command keeps.
 */
import { homedir } from "node:os"
import { join } from "node:path"

export const stateFolder = (): string => join(home(), "parley")

/** The folder for state of programs that is neither settings nor a cache. */
const home = (): string => {
  const { LOCALAPPDATA, XDG_STATE_HOME } = process.env
  if (process.platform === "win32" && LOCALAPPDATA !== undefined) return LOCALAPPDATA
  return XDG_STATE_HOME !== undefined && XDG_STATE_HOME !== ""
    ? XDG_STATE_HOME
    : join(homedir(), ".local", "state")
}
