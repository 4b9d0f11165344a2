// The four-bar linkage and a falling chain of ten links in Bullet, as rows of the table of bench/joints/compare.
// usage: bullet_joints STEP
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static const double PI = 3.14159265358979323846;

struct World {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    World(double gravity) { world.setGravity(btVector3(0, btScalar(gravity), 0)); }
};

static btRigidBody *bar(World &w, btVector3 a, btVector3 b, double width)
{
    btVector3 d = b - a;
    btScalar half = btScalar(width / 2);
    btBoxShape *shape = new btBoxShape(btVector3(d.length() / 2, half, half));
    shape->setMargin(0);
    btScalar mass = btScalar(1000 * d.length() * width * width);
    btVector3 inertia;
    shape->calculateLocalInertia(mass, inertia);
    btTransform at(btQuaternion(btVector3(0, 0, 1), std::atan2(d.y(), d.x())), (a + b) / 2);
    btRigidBody *body = new btRigidBody(mass, new btDefaultMotionState(at), shape, inertia);
    body->setDamping(0, 0);
    body->setActivationState(DISABLE_DEACTIVATION);
    w.world.addRigidBody(body, 0, 0);
    return body;
}

struct Pin {
    btRigidBody *a, *b; // a may be null: the world
    btVector3 inA, inB;
    double violation() const
    {
        btVector3 p = a ? a->getCenterOfMassTransform() * inA : inA;
        return (b->getCenterOfMassTransform() * inB - p).length();
    }
};

static btHingeConstraint *pin(World &w, std::vector<Pin> &pins, btRigidBody *a, btRigidBody *b, btVector3 at)
{
    btVector3 z(0, 0, 1), inB = b->getCenterOfMassTransform().inverse() * at;
    btHingeConstraint *hinge;
    Pin p{a, b, at, inB};
    if (a) {
        p.inA = a->getCenterOfMassTransform().inverse() * at;
        hinge = new btHingeConstraint(*a, *b, p.inA, inB, z, z);
    } else {
        hinge = new btHingeConstraint(*b, inB, z);
    }
    w.world.addConstraint(hinge, true);
    pins.push_back(p);
    return hinge;
}

static double worst_of(const std::vector<Pin> &pins)
{
    double worst = 0;
    for (const Pin &p : pins) worst = std::fmax(worst, p.violation());
    return worst;
}

// Crank 1, coupler 2.5, rocker 2, ground 3, the crank driven by 60 degrees per second from 30 to 150.
static void four_bar(double h)
{
    World w(-9.81);
    std::vector<Pin> pins;
    btVector3 o(0, 0, 0), b(btScalar(std::cos(PI / 6)), 0.5, 0), c(btScalar(2.869228182), btScalar(1.995720104), 0), d(3, 0, 0);
    btRigidBody *crank = bar(w, o, b, 0.1), *coupler = bar(w, b, c, 0.1), *rocker = bar(w, d, c, 0.1);
    btHingeConstraint *motor = pin(w, pins, nullptr, crank, o);
    pin(w, pins, crank, coupler, b);
    pin(w, pins, coupler, rocker, c);
    pin(w, pins, nullptr, rocker, d);
    motor->enableAngularMotor(true, btScalar(-PI / 3), 1e6);
    double worst = 0, error = 0;
    for (double angle = PI / 6; angle < 150 * PI / 180;) {
        w.world.stepSimulation(btScalar(h), 0);
        worst = std::fmax(worst, worst_of(pins));
        btVector3 x = crank->getCenterOfMassTransform() * pins[1].inA, p = coupler->getCenterOfMassTransform() * pins[2].inA;
        double now = std::atan2(x.y(), x.x());
        if (now < angle - 1e-3) { // turns in the other direction
            motor->enableAngularMotor(true, btScalar(PI / 3), 1e6);
        }
        angle = now;
        // where the coupler must end for this angle of the crank
        double bx = std::cos(angle), by = std::sin(angle), dx = 3 - bx, dy = -by, l = std::hypot(dx, dy);
        double along = (6.25 - 4 + l * l) / (2 * l), up = std::sqrt(6.25 - along * along);
        error = std::fmax(error, std::hypot(p.x() - (bx + along * dx / l - up * dy / l), p.y() - (by + along * dy / l + up * dx / l)));
    }
    std::printf("| four-bar | Bullet | %g | %.1e | %.1e |\n", h, worst, error);
}

static void chain(double h)
{
    World w(-9.81);
    std::vector<Pin> pins;
    btRigidBody *last = nullptr;
    for (int k = 0; k < 10; k++) {
        btRigidBody *link = bar(w, btVector3(btScalar(k), 0, 0), btVector3(btScalar(k + 1), 0, 0), 0.1);
        pin(w, pins, last, link, btVector3(btScalar(k), 0, 0));
        last = link;
    }
    double worst = 0;
    for (double t = 0; t < 2 - h / 2; t += h) {
        w.world.stepSimulation(btScalar(h), 0);
        worst = std::fmax(worst, worst_of(pins));
    }
    std::printf("| falling chain of 10 | Bullet | %g | %.1e | - |\n", h, worst);
}

int main(int argc, char **argv)
{
    double h = argc > 1 ? std::atof(argv[1]) : 0.01;
    four_bar(h);
    chain(h);
    return 0;
}
