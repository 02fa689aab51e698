// Before the first paint: the theme of Airflow's page around this one, or the one chosen here.
(() => {
  const root = document.documentElement;
  let theme = "";
  try {
    if (window.parent !== window) theme = window.parent.document.documentElement.classList.contains("dark") ? "dark" : "light";
    else theme = window.localStorage.getItem("spark-tuner-theme") || "";
  } catch {
    // Neither the page around this one nor storage can be read: the system's theme.
  }
  if (theme !== "dark" && theme !== "light") {
    theme = window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }
  root.dataset.theme = theme;
})();
