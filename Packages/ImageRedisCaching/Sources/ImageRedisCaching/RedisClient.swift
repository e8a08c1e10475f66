#if RedisCaching
    import ImageCore
    import NIOCore
    import NIOSSL
    import Synchronization

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Sends commands to a server over few connections, and leaves it alone after a failure.
    ///
    /// It knows nothing of caches, so that another client could replace it: `send` is all that the module uses.
    final class RedisClient: Sendable {
        /// The limits of a client.
        struct Limits: Hashable, Sendable {
            var connections: Int
            var waitingCommands: Int
            var waitingBytes: Int
        }

        private struct Slot {
            var connection: RedisConnection?
            var waitingCommands = 0
        }

        private struct State {
            var slots: [Slot]
            var breaker: CircuitBreaker
            /// Why the breaker opened last.
            var lastOutage = ""
            var waitingCommands = 0
            var waitingBytes = 0
            /// Ends when a probe ends. Nil without a probe.
            var probe: Task<Void, Never>?
        }

        private let settings: RedisConnection.Settings
        private let limits: Limits
        private let elapsed: @Sendable () -> Duration
        private let state: Mutex<State>

        /// Creates a client. It connects when the first command is sent.
        ///
        /// - Parameters:
        ///   - group: The event loops, or nil for a group with `options.threadCount` threads that ends with the client.
        ///   - clock: Measures the time without commands after a failure. Timeouts use the clock of the event loops.
        init(
            _ url: URL, _ options: RedisCacheOptions, group: (any EventLoopGroup)?, clock: any Clock<Duration>
        ) throws(RedisConfigurationError) {
            settings = try RedisConnection.Settings(RedisEndpoint(url, options), options, group)
            limits = Limits(
                connections: max(1, options.maxConnections), waitingCommands: options.maxWaitingCommands,
                waitingBytes: options.maxWaitingBytes)
            elapsed = stopwatch(clock)
            state = Mutex(
                State(
                    slots: Array(repeating: Slot(), count: limits.connections),
                    breaker: CircuitBreaker(pause: options.retryDelay, maxPause: options.maxRetryDelay)))
        }

        deinit { closeConnections() }

        /// Whether commands are sent. False after a failure, until a probe succeeds.
        var isAvailable: Bool { state.withLock { $0.breaker.isClosed } }

        /// Returns when the probe in progress has ended, if there is one.
        func probeEnded() async { await state.withLock { $0.probe }?.value }

        /// Closes the connections. Their commands fail. The next command opens a connection again.
        func closeConnections() {
            for slot in state.withLock({ $0.slots }) { slot.connection?.close() }
        }

        /// Sends a command and returns the reply, which is no error.
        func send(_ command: RedisCommand) async throws(RedisFailure) -> RedisReply {
            let now = elapsed()
            let (admission, lastOutage) = state.withLock { ($0.breaker.admit(now: now), $0.lastOutage) }
            switch admission {
            case .admitted: return try await sendAndRecord(command)
            case .refused: throw .unavailable(lastOutage)
            case .probe:
                startProbe()
                throw .unavailable(lastOutage)
            }
        }

        private func sendAndRecord(_ command: RedisCommand) async throws(RedisFailure) -> RedisReply {
            let result = await transfer(command)
            let now = elapsed()
            state.withLock { state in
                switch result {
                // A command that was sent before a failure doesn't end the outage; a probe does.
                case .success where state.breaker.isClosed: state.breaker.ended(.up, isProbe: false, now: now)
                case .failure(let failure) where failure.isOutage:
                    state.breaker.ended(.down, isProbe: false, now: now)
                    state.lastOutage = "\(failure)"
                case .success, .failure: break
                }
            }
            return try result.get()
        }

        private func startProbe() {
            let probe = Task { await self.probe() }
            state.withLock { $0.probe = probe }
        }

        private func probe() async {
            let result = await transfer(RedisCommand("PING"))
            let now = elapsed()
            state.withLock { state in
                switch result {
                case .success: state.breaker.ended(.up, isProbe: true, now: now)
                case .failure(let failure):
                    state.breaker.ended(.down, isProbe: true, now: now)
                    state.lastOutage = "\(failure)"
                }
            }
        }

        /// Sends a command over the connection with the fewest waiting commands.
        private func transfer(_ command: RedisCommand) async -> Result<RedisReply, RedisFailure> {
            guard let bytes = command.formatted() else { return .failure(.malformed("there is no memory")) }
            let byteCount = bytes.readableBytes
            guard let slot = state.withLock({ reserveSlot(for: byteCount, in: &$0) }) else {
                return .failure(.overloaded)
            }
            let connection = connection(of: slot)
            let result = await withCheckedContinuation { continuation in
                connection.send(bytes) { continuation.resume(returning: $0) }
            }
            state.withLock { state in
                state.slots[slot].waitingCommands -= 1
                state.waitingCommands -= 1
                state.waitingBytes -= byteCount
            }
            return result
        }

        /// Chooses a slot: an idle connection, otherwise a new one, otherwise the one with the fewest commands. Returns
        /// nil if too much waits.
        private func reserveSlot(for byteCount: Int, in state: inout State) -> Int? {
            guard state.waitingCommands < limits.waitingCommands,
                byteCount <= limits.waitingBytes - state.waitingBytes
            else { return nil }
            let slots = state.slots
            let slot =
                slots.firstIndex { $0.connection != nil && $0.waitingCommands == 0 }
                ?? slots.firstIndex { $0.connection == nil && $0.waitingCommands == 0 }
                ?? slots.indices.min { slots[$0].waitingCommands < slots[$1].waitingCommands } ?? 0
            state.slots[slot].waitingCommands += 1
            state.waitingCommands += 1
            state.waitingBytes += byteCount
            return slot
        }

        /// Returns the connection of a slot, and opens one if there is none.
        private func connection(of slot: Int) -> RedisConnection {
            if let existing = state.withLock({ $0.slots[slot].connection }) { return existing }
            let made = RedisConnection(settings, loop: settings.loops.group.next()) { [weak self] in self?.removed($0) }
            let installed = state.withLock { state in
                let connection = state.slots[slot].connection ?? made
                state.slots[slot].connection = connection
                return connection
            }
            if installed === made { made.open() }
            return installed
        }

        private func removed(_ connection: RedisConnection) {
            state.withLock { state in
                for slot in state.slots.indices where state.slots[slot].connection === connection {
                    state.slots[slot].connection = nil
                }
            }
        }
    }

    extension RedisConnection.Settings {
        fileprivate init(
            _ endpoint: RedisEndpoint, _ options: RedisCacheOptions, _ group: (any EventLoopGroup)?
        ) throws(RedisConfigurationError) {
            self.init(
                endpoint: endpoint, tls: endpoint.usesTLS ? try options.makeTLSContext() : nil,
                loops: RedisEventLoops(group, threadCount: options.threadCount),
                connectTimeout: TimeAmount(options.connectTimeout), commandTimeout: TimeAmount(options.commandTimeout),
                limits: RedisReplyParser.Limits(bulkBytes: options.maxEntryBytes + 1))
        }
    }

    extension RedisCacheOptions {
        fileprivate func makeTLSContext() throws(RedisConfigurationError) -> NIOSSLContext {
            var configuration = TLSConfiguration.makeClientConfiguration()
            if let rootsFile { configuration.trustRoots = .file(rootsFile) }
            configuration.certificateVerification =
                switch tlsVerification {
                case .full: .fullVerification
                case .chainOnly: .noHostnameVerification
                case .none: .none
                }
            do {
                return try NIOSSLContext(configuration: configuration)
            } catch {
                throw .tls("\(error)")
            }
        }
    }
#endif
