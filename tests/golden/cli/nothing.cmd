stint
