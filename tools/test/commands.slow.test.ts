/** As they are printed, npx within them too. */
import "./commands.test.ts"
