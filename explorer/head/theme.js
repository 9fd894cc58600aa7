// Runs before anything is drawn: what was chosen in this browser is there at once, without a flash of the other theme.
"use strict";
try {
  for (const name of ["theme", "paths"]) {
    const kept = localStorage.getItem(`comptoir-${name}`);
    if (kept) document.documentElement.dataset[name] = kept;
  }
} catch {
  // Storage is forbidden: the system's theme it is
}
