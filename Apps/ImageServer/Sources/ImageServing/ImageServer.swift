import Foundation
import Hummingbird
package import ImageServerKit
package import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// The server: Hummingbird in front of an image service.
package struct ImageServer: Service, CustomStringConvertible {
    /// The name in the logs. The settings have secrets.
    package let description = "ImageServer"
    private let settings: ServerSettings
    private let composition: ServerComposition
    private let logger: Logger
    private let onRunning: @Sendable (Int) -> Void
    private let onMetricsRunning: @Sendable (Int) -> Void

    /// - Parameters:
    ///   - onRunning: Called with the port when the server listens.
    ///   - onMetricsRunning: Called with the port of the metrics, if they have one of their own.
    /// - Throws: A `SettingsFailure`, or an error of the file system.
    package init(
        _ settings: ServerSettings, logger: Logger, onRunning: @escaping @Sendable (Int) -> Void = { _ in },
        onMetricsRunning: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws {
        self.settings = settings
        self.logger = logger
        self.onRunning = onRunning
        self.onMetricsRunning = onMetricsRunning
        composition = try ServerComposition(settings, logger: logger)
    }

    /// Listens until the graceful shutdown, and then ends the requests in progress. Throws a `ListeningFailure`.
    package func run() async throws {
        let (handler, service) = (composition.handler, composition.service)
        // Before the first request, so that nothing is served that was purged while the server was down.
        await service.synchronizePurges()
        let purging = Task { try await Self.synchronizePurges(of: service) }
        defer { purging.cancel() }
        let exporting = Task { [composition] in await composition.export() }
        defer { exporting.cancel() }
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup { group in
                group.addTask { try await run(application, at: settings.socket ?? "\(settings.host):\(settings.port)") }
                if let port = settings.metricsPort {
                    let host = settings.metricsHost ?? settings.host
                    group.addTask { try await run(metricsApplication(host, port), at: "\(host):\(port)") }
                }
                // The first error ends the other one, too.
                while try await group.next() != nil {}
            }
        } onGracefulShutdown: {
            handler.startShutdown()
        }
        await service.shutDown()
        exporting.cancel()
        await exporting.value
        await composition.finishExport()
    }

    /// Asks every few seconds what other servers have purged.
    private static func synchronizePurges(of service: ImageService) async throws {
        while true {
            try await Task.sleep(for: purgeInterval)
            await service.synchronizePurges()
        }
    }

    private static let purgeInterval = Duration.seconds(5)

    /// Reads the presets again. Keeps the old ones if the new ones are not valid.
    package func reloadPresets() {
        do {
            try composition.reloadPresets(of: settings)
            logger.notice("presets reloaded")
        } catch {
            logger.error("presets not reloaded", metadata: ["error": "\(error)"])
        }
    }

    private func run(_ application: some ApplicationProtocol, at address: String) async throws {
        do {
            try await application.run()
        } catch {
            throw ListeningFailure(description: "can't listen at \(address): \(Self.reason(error))")
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        // Safe: the text is copied at once.
        case let error as IOError: unsafe String(cString: strerror(error.errnoCode))
        case SocketAddressError.unknown: "the host is not known"
        default: "\(error)"
        }
    }

    private func metricsApplication(_ host: String, _ port: Int) -> some ApplicationProtocol {
        Application(
            responder: MetricsResponder(handler: composition.handler),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { [onMetricsRunning] channel in onMetricsRunning(channel.localAddress?.port ?? 0) },
            logger: logger)
    }

    /// The address to listen at. The socket of a server that ended is removed first.
    private var address: BindAddress {
        guard let socket = settings.socket else { return .hostname(settings.host, port: settings.port) }
        let attributes = try? FileManager.default.attributesOfItem(atPath: socket)
        if attributes?[.type] as? FileAttributeType == .typeSocket {
            try? FileManager.default.removeItem(atPath: socket)
        }
        return .unixDomainSocket(path: socket)
    }

    private var application: some ApplicationProtocol {
        let (writeLimit, departures) = (TimeAmount(Duration.seconds(settings.writeSeconds)), ClientDepartures())
        let bodies = PendingBodies(limit: settings.unreadBytes)
        let (handler, idleTime) = (composition.handler, TimeAmount(Duration.seconds(settings.idleSeconds)))
        return Application(
            responder: ImageResponder(handler: handler, departures: departures),
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [
                        HTTPHandlerInstaller([
                            StalledWriteHandler(limit: writeLimit, bodies: bodies), DepartureHandler(departures),
                            ImmediateResponseHandler(handler, idleTime: idleTime),
                        ])
                    ])),
            configuration: ApplicationConfiguration(
                address: address, backlog: 1_024,
                availableConnectionsDelegate: .maximum(settings.maxConnections, logger: logger)),
            onServerRunning: { [onRunning] channel in onRunning(channel.localAddress?.port ?? 0) }, logger: logger)
    }
}

/// Why a server can't listen, for example because another process uses the port.
package struct ListeningFailure: Error, CustomStringConvertible {
    package let description: String
}

/// Reloads the presets on SIGHUP.
package struct PresetReloading: Service, CustomStringConvertible {
    package let description = "PresetReloading"
    private let server: ImageServer

    package init(_ server: ImageServer) { self.server = server }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in await UnixSignalsSequence(trapping: .sighup) { server.reloadPresets() }
        }
    }
}
